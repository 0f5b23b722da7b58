internal import Foundation

/// The documents of the routes for representations.
enum Samples {
    static let json = """
        {
          "slideshow": {
            "author": "Ada Lovelace",
            "date": "1843-08-01",
            "slides": [
              {"title": "The Analytical Engine", "type": "all"},
              {"title": "Notes", "type": "all", "items": ["Note A", "Note G"]}
            ],
            "title": "Sample Slide Show"
          }
        }

        """

    static let xml = """
        <?xml version="1.0" encoding="UTF-8"?>
        <slideshow title="Sample Slide Show" author="Ada Lovelace">
          <slide type="all"><title>The Analytical Engine</title></slide>
          <slide type="all"><title>Notes</title><item>Note A</item><item>Note G</item></slide>
        </slideshow>

        """

    static let html = """
        <!DOCTYPE html>
        <html>
          <head><title>Larkspur</title></head>
          <body><h1>Larkspur</h1><p>A genus of flowering plants.</p></body>
        </html>

        """

    static let utf8 = """
        <h1>UTF-8</h1>
        <p>Grüße, Ελλάδα, Москва, ∮ E⋅da = Q, 日本語, \u{1F338}</p>

        """

    /// A picture of 16 × 16 pixels in truecolour.
    static let png = Data(base64Encoded: encodedPNG) ?? Data()

    private static let encodedPNG = """
        iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAIAAACQkWg2AAABlklEQVR42hXRURVEIQhFUSMYgQhGMAIRiGCEE8EIRiACEYhABCLM\
        G7/ZrMt1jMEcyGAN9kAHNjgDBnfwBj6IQQ5q0IMxJnMikzXZE53Y5EyY3Mmb+CQmOalJzw8IUxBhCVtQwYQjIFzhCS6EkEIJLR9Y\
        zIUs1mIvdGGLs2BxF2/hi1jkoha9PrCZG9mszd7oxjZnw+Zu3sY3sclNbXp/QJmKKEvZiiqmHAXlKk9xJZRUSmn9gDENMZaxDTXM\
        OAbGNZ7hRhhplNH2gcM8yGEd9kEPdjgHDvfwDn6IQx7q0OcD/wK/Sr4jv9hfkG/1N/x/Fx44BCQU9Pc94zIvclmXfdGLXc79j9/L\
        u/glLnmpS98PPOZDHuuxH/qwx3n/5ffxHv6IRz7q0e8DznTEWc521DHn+D/KdZ7jTjjplNP+gWAGEqxgBxpYcOIf/AYv8CCCDCro\
        +EAyE0lWshNNLDn5P/MmL/Ekkkwq6fxAMQspVrELLaw49S/lFq/wIoosquj6QDMbaVazG22sOf2v8Dav8SaabKrp5geIAnAQC3Nf\
        wAAAAABJRU5ErkJggg==
        """
}
