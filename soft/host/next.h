/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Looks up functions that this library interposes, once each: racing threads store the same value. */
#pragma once

#include <dlfcn.h>

/* What `lookup` finds, a function of that type; NULL: there is none. */
#define SOFT_FOUND(type, lookup)                                                                                       \
	({                                                                                                             \
		static __typeof__(type) cached;                                                                        \
		__typeof__(type) found = __atomic_load_n(&cached, __ATOMIC_RELAXED);                                   \
		if (!found) {                                                                                          \
			*(void **)&found = (lookup);                                                                   \
			__atomic_store_n(&cached, found, __ATOMIC_RELAXED);                                            \
		}                                                                                                      \
		found;                                                                                                 \
	})

/* The definition behind ours. */
#define SOFT_NEXT(type, name) SOFT_FOUND(type, dlsym(RTLD_NEXT, name))
