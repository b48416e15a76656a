// What the sanitizers' runtime asks this program for; nothing in other builds.
#ifdef __SANITIZE_ADDRESS__
// Freed memory is held back for a while: by default so much of it that tests of memory growth see nothing
// else.
extern "C" const char* __asan_default_options() {
  return "quarantine_size_mb=4";
}
#endif
