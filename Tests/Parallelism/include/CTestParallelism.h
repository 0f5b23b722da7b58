/// A limit to the tests that run at a time, in each program that has this target.
