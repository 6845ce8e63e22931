// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Of which commit is this program? For JSON documents, by a weak reference of the report layer. */
#include "src/main/commit.h" /* made in the build folder */

extern const char build_commit[];
const char build_commit[] = BUILD_COMMIT;
