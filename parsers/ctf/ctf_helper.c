/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/ctf/ctf_helper.h"

#include <unistd.h>

#include "parsers/ctf/ctf_graph.h"
#include "src/base/framing.h"

bool ctf_helper_is_built(void)
{
	return true;
}

void ctf_helper_serve(int fd, void (*shut_in)(int folder))
{
	struct ctf_teller teller;
	const bt_plugin *plugin;
	struct ctf_ask ask;
	int folder = -1;

	if (framing_receive_fds(fd, &ask, sizeof(ask), &folder, 1) != 1 ||
	    ask.nr > CTF_MOST_LEFT_OUT)
		return;
	ctf_teller_init(&teller, fd);
	plugin = ctf_graph_plugin();
	if (!plugin) {
		ctf_teller_text(&teller, CTF_FAILED,
				"libbabeltrace2 has no plugin ctf: install all of it");
	} else {
		if (shut_in)
			shut_in(folder);
		if (fchdir(folder))
			ctf_teller_text(&teller, CTF_FAILED, "cannot enter the folder");
		else
			ctf_graph_run(plugin, &ask, &teller);
	}
	bt_plugin_put_ref(plugin);
	ctf_teller_end(&teller);
	ctf_teller_fini(&teller);
}
