# Measurements of the suite itself: ratios in one run; nothing here is a test.
