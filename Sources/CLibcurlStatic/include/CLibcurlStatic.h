/// Links libcurl, OpenSSL and the decoders of content codings into the program, from archives or from shared libraries.
///
/// A program that depends on the product LarkspurStatic uses these functions in place of those that are found at run
/// time. There is nothing to call or import. The linker needs the libraries: see Docs/StaticPrograms.md.

#ifndef CLIBCURLSTATIC_H
#define CLIBCURLSTATIC_H

#endif
