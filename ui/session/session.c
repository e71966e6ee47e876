/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/session/session.h"

#include <stdlib.h>

#include "ui/desk/desk.h"
#include "ui/session/recent.h"
void session_free(struct app *app)
{
	struct app_session *session = app->session;

	recent_free(app);
	filter_named_fini(&session->named);
	text_fini(&session->identity);
	text_fini(&session->config);
	text_fini(&session->config_wrong);
	text_fini(&session->remembered);
	free(session);
	app->session = NULL;
}
