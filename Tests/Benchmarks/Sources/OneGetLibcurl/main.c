#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
    void *library = dlopen("libcurl.so.4", RTLD_NOW);
    void *(*easy_init)(void) = (void *(*)(void))dlsym(library, "curl_easy_init");
    int (*easy_setopt)(void *, int, ...) = (int (*)(void *, int, ...))dlsym(library, "curl_easy_setopt");
    int (*easy_perform)(void *) = (int (*)(void *))dlsym(library, "curl_easy_perform");
    char url[1024];
    snprintf(url, sizeof url, "%s%s", arguments[1], arguments[count - 1]);
    void *easy = easy_init();
    easy_setopt(easy, 10002, url);
    return easy_perform(easy);
}
