/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/invoker.h"

#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/memory.h"

#define MAX_GROUPS 65536

static bool number_of(const char *name, unsigned long *number)
{
	const char *value = getenv(name);
	char *end;

	if (!value || !*value)
		return false;
	errno = 0;
	*number = strtoul(value, &end, 10);
	return !errno && !*end && *number < (unsigned long)(uid_t)-1;
}

static void find_groups(struct invoker *who)
{
	who->nr_groups = 64;
	who->groups = mem_array(who->nr_groups, sizeof(*who->groups));
	if (who->name && getgrouplist(who->name, who->gid, who->groups, &who->nr_groups) < 0 &&
	    who->nr_groups < MAX_GROUPS) {
		who->groups = mem_resize(who->groups, who->nr_groups, sizeof(*who->groups));
		if (getgrouplist(who->name, who->gid, who->groups, &who->nr_groups) >= 0)
			return;
	} else if (who->name) {
		return;
	}
	who->groups[0] = who->gid;
	who->nr_groups = 1;
}

int invoker_find(struct invoker *who, const char *user, struct ft_error *err)
{
	unsigned long uid, gid = 0;
	bool sudo = false;
	struct passwd *pw;

	*who = (struct invoker){ .uid = geteuid(), .gid = getegid() };
	errno = 0;
	if (user) {
		pw = getpwnam(user);
		if (!pw)
			return ft_error_set(err, FT_E_USAGE, -1, "--user: no user is named %s",
					    user);
	} else if (!geteuid() && (number_of("SUDO_UID", &uid) || number_of("PKEXEC_UID", &uid)) &&
		   uid) {
		sudo = number_of("SUDO_GID", &gid);
		pw = getpwuid(uid);
		who->uid = uid;
		who->gid = sudo ? gid : uid;
	} else {
		return 0;
	}
	if (pw) {
		who->uid = pw->pw_uid;
		who->gid = sudo ? gid : pw->pw_gid;
		who->name = mem_strdup(pw->pw_name);
		who->home = mem_strdup(pw->pw_dir);
	}
	who->other = who->uid != geteuid();
	find_groups(who);
	return 0;
}

void invoker_fini(struct invoker *who)
{
	free(who->name);
	free(who->home);
	free(who->groups);
	*who = (struct invoker){ 0 };
}

int invoker_become(const struct invoker *who, struct ft_error *err)
{
	if (!who->other)
		return 0;
	if (setgroups(who->nr_groups, who->groups) || setresgid(who->gid, who->gid, who->gid) ||
	    setresuid(who->uid, who->uid, who->uid))
		return ft_error_errno(err, errno, -1, "cannot become user %s",
				      who->name ? who->name : "of sudo");
	if (who->name) {
		setenv("HOME", who->home, 1);
		setenv("USER", who->name, 1);
		setenv("LOGNAME", who->name, 1);
	}
	return 0;
}

int invoker_enter(struct invoker *who, struct ft_error *err)
{
	if (!who->other)
		return 0;
	who->nr_own_groups = getgroups(256, who->own_groups);
	if (who->nr_own_groups < 0 || setgroups(who->nr_groups, who->groups) || setegid(who->gid) ||
	    seteuid(who->uid)) {
		ft_error_errno(err, errno, -1, "cannot use the privileges of user %s",
			       who->name ? who->name : "of sudo");
		invoker_leave(who);
		return -1;
	}
	return 0;
}

void invoker_leave(const struct invoker *who)
{
	int saved = errno;

	if (!who->other)
		return;
	/* continuing with the wrong ids would be unsafe */
	if (seteuid(getuid()) || setegid(getgid()) ||
	    setgroups(who->nr_own_groups > 0 ? who->nr_own_groups : 0, who->own_groups)) {
		fprintf(stderr, "ftop-trace: cannot regain the privileges of root\n");
		_exit(1);
	}
	errno = saved;
}

int invoker_check_folder(const char *option, const char *folder, struct ft_error *err)
{
	struct invoker who;
	struct stat st;
	int ret = invoker_find(&who, NULL, err);

	if (!ret && (who.other || stat(folder, &st) || st.st_uid != geteuid()))
		ret = ft_error_set(err, FT_E_USAGE, -1,
				   "%s %s: takes a folder of your own, without sudo", option,
				   folder);
	invoker_fini(&who);
	return ret;
}
