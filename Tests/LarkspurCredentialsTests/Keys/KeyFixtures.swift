import Testing

/// Key pairs that `openssl genpkey` has made for these tests, and signatures of `message` that `openssl dgst` has made.
enum KeyFixtures {
    /// A key pair in PEM.
    struct Pair: Sendable, CustomTestStringConvertible {
        let name: String
        let privateKey: String
        let publicKey: String

        var testDescription: String { name }
    }

    static let message = "A message."
    static let password = "open sesame"

    static let rsa = Pair(name: "RSA", privateKey: rsaPrivate, publicKey: rsaPublic)
    static let rsa1024 = Pair(name: "RSA with 1024 bits", privateKey: rsa1024Private, publicKey: rsa1024Public)
    static let rsaPSS = Pair(name: "RSASSA-PSS", privateKey: rsaPSSPrivate, publicKey: rsaPSSPublic)
    static let p256 = Pair(name: "P-256", privateKey: p256Private, publicKey: p256Public)
    static let p384 = Pair(name: "P-384", privateKey: p384Private, publicKey: p384Public)
    static let p521 = Pair(name: "P-521", privateKey: p521Private, publicKey: p521Public)
    static let ed25519 = Pair(name: "Ed25519", privateKey: ed25519Private, publicKey: ed25519Public)

    /// The signature of `rsa` with RSASSA-PKCS1-v1_5 and SHA-256, in base64.
    static let rsaPKCS1Signature = """
        IbzWFA6R09YbvmNluppVeHxssBnlxalLsHG+Jibz132Qujp9eoPWMyRgjz8zqFJUbA1iLpqjBbXEUB3nU2eoKSSU
        S6+YdVTfFfz+1lBKm3fi7hPr3brAQMamuiGpBlz53sBYaw7hi6XQ3A2Jd/C/hYzpmE0nbl/GH78IJIesPZ2eJEdY
        RBs0kkSoxWtoVAKs7MExJfnTvEXhOF7053PfNxWiKnI86r73xXVcobR3tHADgGdZPrmt9+h/8aD9kFcJvxEUmrX0
        8aDf7f0R9SUceaAdVisTEdirTItVODa6HuZhKFvdLC/l3+XtBAHymno9OBOehMInQurNaLW8kXJWrA==
        """

    /// A signature of `rsa` with RSASSA-PSS, SHA-256 and a salt of 32 bytes.
    static let rsaPSSSHA256Signature = """
        IlfiJ9fb5fnyVEbtyhkQCN+4MilV7HMebe0oh4fpNYWtGvg1uWAuoHY7ee2igiXhkwICW750ZrZzTJhpejPov/rw
        cdTGNgGG6NULldAHhDIhPlcvRw3Af+cwFA2Wh5HU0nKXJSIwuU2Ewh8IqXysJ7vaEgAxFvCRgJ0X3ErQbKR8NDfa
        b1X9R50/2IBT9i/tj6/2Lf/lHQhM5Ffh9O5cY17TwvR2h0WvvbzWia4/fdICXHlpxMaRz7/53VH3YLzT2RKk8Z2e
        Kvg4ui6ZetqyiUHazDkUjNVSzJjhm4Ql6mXOQmPOWwhWYOc9GS6Hh2m39zlKPE79zZ5YzEBvEL8j1g==
        """

    /// A signature of `rsa` with RSASSA-PSS, SHA-512 and a salt of 64 bytes.
    static let rsaPSSSHA512Signature = """
        ozQjqRuEW6uK564nHsbFpcou5IolJHuOKTWN/0Oj1zSu4sSsfQ1i+kUwMvJrthlXB3EEbsZoGw1utyFHlsJi9Ljh
        1sAEpE3nXueUNfeBK8xDzP6f6d+U7tOCw2U2lj+13Hs1bkLPTPJEl4nDtUTB9yWA9qWMxN1v856NQRi5OP3AOlXy
        qYzueq4amcaOWMZsCQ0alkEmo5n+qn6gmhizYxosLz0qLsmG/zvzlFCtcX8dtHKu3Ab7GKPeUrN2w/+FlEJUZYuc
        Lh6X+PvuzPbNBZlecJMCn5sXvtU7nIOH/F4PcUwkyhBGXgWi9x/hhgcDb/+24WNFeujkDnFlEz7Iig==
        """

    /// A signature of `rsa` with RSASSA-PSS, SHA-256 and a salt of 20 bytes.
    static let rsaPSSSaltSignature = """
        UcfrFTDXV/oNS6dmDNeNPXCU2dX1v4VLkigSX8X6Vz+vr6ZLbv3ANme+LeE3e8YVuG5VESrUgE+tYJy/00BIgWh0
        9uh6bACYiP1h2dIKqOO7wFC1S7xnLP6jk1UEjYNSHO11EUpUm8KdmKpLxUzCuSs5aVzpJDzY99WcqAcza3+28AH0
        /huYm+UYm6OrMDnmWvOkhUKl9BcThHJazdEH/1Lwsfk4vZ29Q+t1zeKee0ofZHXtexkiLDYyceeilp3yJ6/Kmj+W
        Fl2OUez2v2+yII8WWyo8A0q+jR77qNC4jLZoCL5FdSJcQ8NnnXeLrILN8FbXmPtPeievSttTHcl5sQ==
        """

    /// The signature of `rsa1024` with RSASSA-PKCS1-v1_5 and SHA-256.
    static let rsa1024Signature = """
        ZL9Hl6BxDEgjd5+9PIF5xdEUyxxKUzCJ/W8ZDgOCrdviR4M3N72UOOdJrucuoJIINiL959LdNlqPrsSuKPy/EhMr
        5B65E2ARUjgB5bhfgT/Fci1phWsFwrTwyIoFJb7aLFPv9GlHnyL0IODREYlht3yfWQ1JRhj/UsOxQUR08mw=
        """

    /// A signature of `p384` with SHA-384, as two numbers of 48 bytes.
    static let p384Signature = """
        PupQjrSi2tCg7O1PCGlDoZLF1uiLR3SElUBtsSdkLEnf//xbonaY/u5BQKQgHNA8/iLIN5oaObwza+udJlglyB2Q
        C0vv5M3L6Z803TTBFnFYvN3ovFloIXtrRBdSNyV+
        """

    /// 2048 bits.
    static let rsaPrivate = """
        -----BEGIN PRIVATE KEY-----
        MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQDGQ7aAB/7R5w0Q
        iQHA8KVOy9RvXTtVDEMBltu8ZlOlYXT4bV+13Js/9Rt0bWD/nXxowSaMxdHX9Zjf
        Co+RxjNPIEHqAkI4RR4lFscFfw29m9SD4kX9dUlWJQ6EbdNia2tidVRbmuURlORh
        znwLmN7D2nODi+pZ7vLUUO/5YCGrbZ4FypfNJp0XCjuiyTVQvUeF/Yb1a/zObId/
        gSkK7XRz7iV9RkJXNuTLnCtzXiwxn+HM0BvgEq48I+UanoJO8uNa/B3QckKRvbGV
        gahzmCdIl23/gF0eJ0N1edvWvLq2ghe+3FUKy0idlluJt65Eccn+/762ra3kLVLo
        0gxil92zAgMBAAECggEAWV0g79FqwmqdwWO3piLxp7QI8w83VIy70QYR0fffYO4t
        /mGyH7MpSOkuMEqyy1RNRJw2x4HMpUYeWv4UGzUWYGZeP184QMuqnDYJi8kqRNnt
        rmo5eNY6MXlvczJbcoOPeef/l3CYKlYNoKYk1EdZtTaMFXFltpaU3i0DFUiGtJDe
        xLS8FsCvpcG0aMxoMCG242RZ7xFOo8yitXie8iAFRO75b2d+4LldoaR2qReMBfIg
        m8WzbD84mHlwtu0TqfDTpwn2Wl22FOXCT/P5F4tFlJgAuQGNHR6EmrlLcIZCx7Na
        mI7kzJzy/GJQN3fEaG9aRxzUYpcnzxLfLLNBt4B3lQKBgQD0Q2iKaUIGOSQVcbDy
        Tu8xuO7v4AMyuQJavYo6RahWNIPfx3iV9fZCpA47DmWdzgcCiG0zw58AlgwKkPzy
        sgxpyYYv64QsW6eQOIheHuAIJUZOcytDgM7OU1fam1wlOCsxlacX2FLVLsBHUKh+
        MN30HWs5FnBaG3xknNV/6A01dwKBgQDPyn2I/W629Fm7I/id3Esj/cKG6s/kLD1T
        iwV1TzQ//8+CcfErF9v5kVS2YZ2AiBcD0GW9KCIEPLAweFfwgK7FYfjq/hVl2HTa
        EmSXr83KcVkcYochQt81ePQMzZgq2HkIhhtsVnfqxSwa0eQI48e9pV+/iQa/Vfou
        XdpSWMjYpQKBgBM7W3fKYdBrn1Ow5+WsIVkg3m80jAvqVS0fz0pXQbHH4Lo10mC8
        RO9qS1SLBaUvG44vf6mbtWEubzRFxiS1sBSEMXSEbpuve7n3OYVvmOQLS0XR+44N
        DjtghIJJyS+FBKGaztUpyxvN2oXC7AFDh7Y4usB768ysbVbeolC3zJJxAoGAC2X1
        Ku2UBC81OOHJQoeSC6Bg6lu5GbAfkRSgMQYuPJCAxowPiaieZXtGZVbHeAR/FrN4
        0T6BVzApDg+b61Jzw9oS+HkFnXeZOVkm8XcwV7mOBNOWzAlKCzneUVF51mfXg9Mv
        b+ryWwuD1tjKpH4yN8H5lZ0jpJ1HwwFc94VtRw0CgYEAh1SIFt6ED+KSGzCedg7F
        KjJEFHqg9vkaDb9oCXj7TipugLOSjtzuGLoTqQij3wjYIDfHEBKe9Wqjav/iv7rt
        LxsnpUdl47gPi1NjLIoBJ0Lo2tlpY8KULGiZqyaR9z5NBUZ2ThZuPQw6L8E44qKs
        U+mmlLmXgPJPqakQi0728uU=
        -----END PRIVATE KEY-----
        """

    static let rsaPublic = """
        -----BEGIN PUBLIC KEY-----
        MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAxkO2gAf+0ecNEIkBwPCl
        TsvUb107VQxDAZbbvGZTpWF0+G1ftdybP/UbdG1g/518aMEmjMXR1/WY3wqPkcYz
        TyBB6gJCOEUeJRbHBX8NvZvUg+JF/XVJViUOhG3TYmtrYnVUW5rlEZTkYc58C5je
        w9pzg4vqWe7y1FDv+WAhq22eBcqXzSadFwo7osk1UL1Hhf2G9Wv8zmyHf4EpCu10
        c+4lfUZCVzbky5wrc14sMZ/hzNAb4BKuPCPlGp6CTvLjWvwd0HJCkb2xlYGoc5gn
        SJdt/4BdHidDdXnb1ry6toIXvtxVCstInZZbibeuRHHJ/v++tq2t5C1S6NIMYpfd
        swIDAQAB
        -----END PUBLIC KEY-----
        """

    /// The same key as `rsa`, in the older form, and encrypted with `password`.
    static let rsaTraditional = """
        -----BEGIN RSA PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,27F0BB0965854D1776F969223AAFAEC4

        0TsA/vIAPH/sBf540ZFEtjKjDSmzs1zqbL3Np9N1PlDKENHXeKWExSQKrkefSTv6
        adr4JQLUU/HEdj7MduRLnVMuQuHMKL8vDzc0vFzCipseBeoOuSSDj8Z73sLUSqOw
        8DstVe23aykabL3Oejav/woYyRO3c1FsVUHxSvXd463r8wjZySmYrsbmmF1PzM1n
        hrxNgWuAzD+VIrjh9AS1lBK3eEm0I8iiSF4bo1rUPkc50yBNr3384KwOinEb2haj
        nf+2gjlsENJ2TS87n2L/W3Q37oHbppX65qvAhFxRO1XGSIlf6neaCUfTEvrmYbvN
        SCXhGb9Bo1ZJy5SPNydqIaLTB0DfdEhNh77MWgKVgsnpkIfqCkeRHm5ffrM74kgE
        I+TynDsudxpQe3upAJHq31NgVuoTyEZWsIiuK1yIDq1FO1kRnDxt/b+cq+HtKFDP
        XLYtrxtEkZHNHkoy4gHCGv4eh/Xyt+2j7lVVhtsXw/qxieENXUz3q3sNbiLO4VoA
        VerHJYwNND63zQjBi3vksqljGeAiQamOtpA+8C8vpNZ8K9QAbagf91vo5c6SoeZk
        pXdpswkfhMYQJOhMjLYjrWTvAijgi38GAwY594DKJyAgkEoKPwvs1iGNRoMwbTBI
        xHMBB1N/eet6xjJqt8zS9tGLZmj7zgJa76KTn5Y4WYgCVg5HjPJMXfyCWo+EdwTO
        W9pLDcSWOkEGRhdlo+uX75IUc8AVxbp3UnxdlEaSI5O1T2Q/pWd4Y+CH0pQbWXWL
        N8j6HP0IDetPyq+I6mI3vfjACz3mACEA8rNyrme8pWqD0/eYMnGQgSKQYQlgXBzM
        4QIIXnG7Z/taR0n6OMegry1djux3mFALsb48DT2vZNOf9+dBWJno9Xg5AhuWap85
        R2OD/F0vS3yLSH7ymP5y9rB8SLafc8Cj2czIZhWOsw1SI9Dl0IObL37zMt6/2E5Q
        HAJx0iGVzY2Uj1RJDq219ihl1ep/9zntPKrwJUEXOkE07rQ9ed9JcIneXIuoawJY
        8+oM7YYSnhsgwgP+c3sJwpV/HKG8V8mSW7xzili/dGa31xDEjdlem4375B2Ckh1y
        xEdM5WrxQlGKSGx4OaOxFwG/DvAT2kl1kgZe4vuqOBkM7bsypPW43ZjLOgdWYH/Y
        CeBOLqku9fAgC26gyixHu2QiJGm0L1NKDl8F7TFO1jTulV2Ajf/Do853rTLsyghZ
        EyOFVV+YE3KN0Etg49FXdMC7Eg5QHoiq8YUj4IS4exjMeoLh1MlSa3HQRxZlOnxC
        XL4VQxFRFxbxh6n7hGqFxabfyLRF+V/qj+IAnjVFyJ87Pc0/sCGlFVmb8tsQlWIe
        BF0HvwUgC0BmP/YayyntrSMx02aeY1M/iqU5kxKIdgQiIBJH5dUAOdOPgu9ZVJIC
        5LIfDqMIdnI5y0pRq3uBpz8cjOIaB/xbexdeZHehYwpxokGGlxR51is275ZMyLL7
        lwx8apE9+WufwECiyyBpsoPFIGMZlCjbtxLhebWoPMazn0Jdm8Hq/8B2NSoJQs4u
        JNYHWhXPsDVbCKjGkiVoVW9vwDPi+a8uvO9AYMwA0sPvxvvaoMVRkXyHoqONYpuN
        -----END RSA PRIVATE KEY-----
        """

    static let rsa1024Private = """
        -----BEGIN PRIVATE KEY-----
        MIICdQIBADANBgkqhkiG9w0BAQEFAASCAl8wggJbAgEAAoGBAMNuP0/hjhUry2p7
        8HjGxnMwk5TlTmzpIrOrgPepifN40ZhbIOnqnkg/8z7ilKRB3i1PKj1RfFe3mD2T
        /VREldck4UMQZ8SyEVB0kHrinhO9NPkS6tituMXG+4JjxywAnCQHKXDgXzkQPP1E
        vUaTJy4hqfhQobD+a+6KgdjCkZJ1AgMBAAECgYBcUQHbTCL/4TYv0OghRVSNKU8t
        sLxBOkfIM6WyWAXwWww3OiTsGoY2fu76r7GjffHj2VeMq6dfEDz8KaIrYlKdACvY
        VNkdqzyMDxQ8B1WpBMPKWMAlg8PzC5U3WQ4I0sm5vUXDIxDa1BRQuoQWFJS6GaIx
        F3YnTX7+T7bIEgGJgQJBAPjRmNLNdDFnlUwEIFXI5qgSITnJ5ZboSCEv8LL93zNn
        efrbiTS9/sYMQYdLd2isKdFmWlg9A9rBZBCqrynUYNECQQDJEjD1M59WwKjJg/Fm
        1GmTtyKQliwqEdgqutMMcrBOobtF4QuAqanI7qe88RF/Gf8EqgBLdL7WpM27eQ9c
        KWBlAkBK6Tech9SqpyfwyfE+Qo0HHuY38swXoflNXJSYHwza+hVkbEIjyevxjnEQ
        Ha1mqyav76PVmxEVBFJvHiQ8cL9xAkADiAVCGTEANgwA1gdkVfCwvnOl9G08I+oW
        /gb83frItsByPryT+ubXd5GMmPNEtzEqZM3yhU9gt65BT6P8a2GdAkAUmDhDomQz
        XHYe9LlbPPEoeu6sQvXmYG49IGYm8LoAQ/VeYsmzTyFVzGB9QWaw+6L8K/r+srJo
        IhZN2Kd6g/Rd
        -----END PRIVATE KEY-----
        """

    static let rsa1024Public = """
        -----BEGIN PUBLIC KEY-----
        MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDDbj9P4Y4VK8tqe/B4xsZzMJOU
        5U5s6SKzq4D3qYnzeNGYWyDp6p5IP/M+4pSkQd4tTyo9UXxXt5g9k/1URJXXJOFD
        EGfEshFQdJB64p4TvTT5EurYrbjFxvuCY8csAJwkBylw4F85EDz9RL1GkycuIan4
        UKGw/mvuioHYwpGSdQIDAQAB
        -----END PUBLIC KEY-----
        """

    /// 2048 bits, without parameters.
    static let rsaPSSPrivate = """
        -----BEGIN PRIVATE KEY-----
        MIIEuwIBADALBgkqhkiG9w0BAQoEggSnMIIEowIBAAKCAQEAnUY3DPc1dqfg/KIT
        sY5ix3keeQHLosOvT059wve9FPkpXsiWUl6fBsZIC7LBwKaStsRqbE9iiAfD1tBb
        zAJs7jwBkPsjpVfwaXBVymTuzfNglVBijcnP0b7Iwx37saUSyCJ+9iiLv5gR+DHq
        XSVOXAR1AAYuDm9pyZxKhg4e0q5VnvlKJfvXLCK0JKZZ0tRxKrJHdtikXTCs3JnK
        JST3Q1VQ74CEm3PxHyj3V7nMj1DMT6fX3siRNn12sI63BSNZQjw7t5vNkvOmzhoF
        3zyW9x1kNMqWCsGhgAG+ijOztuMXEvtB5sER3SjmfuNbaijNcH+1c1ayVeTiRksG
        1ipjTQIDAQABAoIBABUC4ezqA+r/v6eQsafZeWnjzQXmjwGGOiASwOtwtIKeTQAc
        NTT47i72A38ImSj3OAeR0xP4QRYiT3Ad8v2c31eujZkEbD01M+mqN9PryxmZp7Ab
        BqehrBF99w1WLp+LiahSL3sMbKsiklgBtylNiBvz/nuL19BW4x+rsSsarNSBfz71
        SrYcK2Gx90OaJQQwofslAbEr3MHgl94fos7qVPvNKivfN4gqHeuO3S1b0Z2C6kFL
        a0lkFCjQXUigv8LptLRs2Me3ZCflGlUzfva1g3wJSTdBkvm2ZrczJOCNiCwHPOmm
        q2Zqs3INlAumgfJv9RS8LYbkwz9QiDge+MiPabMCgYEA066MZb3cVVWAZb6+PeL4
        ECpI/mnaiQuXEoXS2eVw2P/GwoakdloiiwU8/hPt31gEc+XPZLi8/XgK8OTO1HyN
        Xrk+UkQqxbaESYBHZUKGOZ2qZYSZfqImphng+frdjgpeCjv1SNB/TpxfSijjL0np
        lUshp9V+l88d319+yMEDb5cCgYEAvjOZrljdKifC7FvHMosZhtuSHz+tKUmx/tdE
        SXvqrkLK1TIRxSWnW7si0ZiPVH4GoeJkT6EKwciT8I+8bF/9ISuaCnlqdKouPjqa
        cLaLpCKPZJlGU54SdCbuuTHkX1/17Zn/54qJV93FD6lb3L6MZP4bVliN73ScqHJs
        BUGTILsCgYAKQHvgOY/AOkHbq58/FAz7i3C5kZrZ5EvOw9hwYSJUAB86MJcqfDcM
        EJbhn0l39aVRj6G5uRC+HeA5xnsV42pdWg9goJiJtss1XBcZGl2x0Kb9/6wHbAb/
        KGWy9alhRbNEP58jhaWEwyICT3ShR60eY+MfY8GbzJYfyVo0ktR9xQKBgFfP2Obu
        bgVVYB/ha4EBSWLCop68tkR2mq/uUL+gb0PO4Hg3ao7biH3IUxXzWlEG8ibxL6C3
        2BCJewu4QKTEWEhlKfQmBCkinMDsK3tYO/YmYo9uWFKoixqHEvX7e9Uwp4jv7X7H
        rgsb/yvw49FxQ74otxRRRA5Gh0EZupdeo/+bAoGBAJgKb7olNpcB9RcXh45ivFvn
        sOWw6BXrEuUlEETZkRwLJ5BgQs/hxvsO0fi5J4SylkiTNmO3LQWxFqRFB4+jm/82
        PUgNDhiWdb6jsOTl0ZWCuiI3Y3Q7wRFDSBkwXwYRh46r+Jtl0FtMdY3/qwKRvl6y
        fbocKAeNdApacFPlP+YP
        -----END PRIVATE KEY-----
        """

    static let rsaPSSPublic = """
        -----BEGIN PUBLIC KEY-----
        MIIBIDALBgkqhkiG9w0BAQoDggEPADCCAQoCggEBAJ1GNwz3NXan4PyiE7GOYsd5
        HnkBy6LDr09OfcL3vRT5KV7IllJenwbGSAuywcCmkrbEamxPYogHw9bQW8wCbO48
        AZD7I6VX8GlwVcpk7s3zYJVQYo3Jz9G+yMMd+7GlEsgifvYoi7+YEfgx6l0lTlwE
        dQAGLg5vacmcSoYOHtKuVZ75SiX71ywitCSmWdLUcSqyR3bYpF0wrNyZyiUk90NV
        UO+AhJtz8R8o91e5zI9QzE+n197IkTZ9drCOtwUjWUI8O7ebzZLzps4aBd88lvcd
        ZDTKlgrBoYABvoozs7bjFxL7QebBEd0o5n7jW2oozXB/tXNWslXk4kZLBtYqY00C
        AwEAAQ==
        -----END PUBLIC KEY-----
        """

    static let p256Private = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQghqSLdCxvuEWjXsa7
        Fy11k1AVbwnLRAmUBWg3dvD4/nOhRANCAATEa2sik5hCnoHhKYKitKpuRB8PpnC8
        ZG+vrL5VjoivJD3GdTFnPFvyIiSORWkcqUDeqIco5CRg46C1ncq7H80A
        -----END PRIVATE KEY-----
        """

    static let p256Public = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAExGtrIpOYQp6B4SmCorSqbkQfD6Zw
        vGRvr6y+VY6IryQ9xnUxZzxb8iIkjkVpHKlA3qiHKOQkYOOgtZ3Kux/NAA==
        -----END PUBLIC KEY-----
        """

    /// The same key as `p256`, in PKCS #8, and encrypted with `password`.
    static let p256Encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAizRSHHPcuyqAICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEPb5/BMEavtT9eZ+MJ4yfpIEgZDP
        vW/Pb1fS/vdh3MjxsGTwV3wifjRHaSXY1QyoYI46yLXq3GrQF8Gw2SyPq3OPtFxC
        24p2YZq9IyhZZaNFnruj9kXPymRfyLWgruIOdqd/2Az4NkTNJP2tn1r6zjm0mKip
        4911hGDhAuuKLlQgvXgMRbesAWvFP9Bllgai5kI8FpFfPmX4iVXxuMeUS5xfb1I=
        -----END ENCRYPTED PRIVATE KEY-----
        """

    /// Another key in the older form, after the name of its curve, as `openssl ecparam -genkey` writes it.
    static let p256Traditional = """
        -----BEGIN EC PARAMETERS-----
        BggqhkjOPQMBBw==
        -----END EC PARAMETERS-----
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIMZw73gQxBvYmnLt66qPFCr76ShkGjCNS+z/KCX4pl3uoAoGCCqGSM49
        AwEHoUQDQgAEHZlDVpd+qRRBeIpcC2lTUoBfVSJee88M0cps7fmWSQhmB2hAL4GJ
        xVcw5aar+XSMZ7iwzVFcCt/Q4aJm9SESog==
        -----END EC PRIVATE KEY-----
        """

    static let p256TraditionalPublic = """
        -----BEGIN PUBLIC KEY-----
        MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEHZlDVpd+qRRBeIpcC2lTUoBfVSJe
        e88M0cps7fmWSQhmB2hAL4GJxVcw5aar+XSMZ7iwzVFcCt/Q4aJm9SESog==
        -----END PUBLIC KEY-----
        """

    static let p384Private = """
        -----BEGIN PRIVATE KEY-----
        MIG2AgEAMBAGByqGSM49AgEGBSuBBAAiBIGeMIGbAgEBBDDOR1N2K31q51ew+Z/L
        eaKOQ/rf+vdZsbJ1wrx65bfp3otPn/qR8P9xIp5iw4setYKhZANiAATUK3Ovk6OJ
        t/3b1ToDf0dc2RCNmbCi7eI5WwxC36eH3HRl+KL2i5Rk1nk1fj21WHEosqoTJwvT
        5wBdSCdnPcX+og9Eo1It1pQZm+sFYsOah5+osddjF3zqSrmYqeCquOU=
        -----END PRIVATE KEY-----
        """

    static let p384Public = """
        -----BEGIN PUBLIC KEY-----
        MHYwEAYHKoZIzj0CAQYFK4EEACIDYgAE1Ctzr5Ojibf929U6A39HXNkQjZmwou3i
        OVsMQt+nh9x0Zfii9ouUZNZ5NX49tVhxKLKqEycL0+cAXUgnZz3F/qIPRKNSLdaU
        GZvrBWLDmoefqLHXYxd86kq5mKngqrjl
        -----END PUBLIC KEY-----
        """

    static let p521Private = """
        -----BEGIN PRIVATE KEY-----
        MIHuAgEAMBAGByqGSM49AgEGBSuBBAAjBIHWMIHTAgEBBEIAobvm4OO/DydBtsK/
        UeSLYABMs6K4KICNM1OBf2OHQVpe4S9feuHQ0PBQv0rXe8zIaRFuU9S3whyVlY+l
        mTVyAUyhgYkDgYYABAAdaiLCysf/i86XnwGd2cgbL3bOvjLb4AeTcQ57/x6sHQU4
        fgdrNMw6RYmWQKXljsEBE/hlOUaysfuZyLrdoo4J9QFmw8VG/bNdMAzxdPPQqbcs
        b0Nkyic/X9qk2f1cUOZ20kPgCeLknHfsUEbh1IzYy8ctM06VGaY4yPDZ5IZEiyhY
        aA==
        -----END PRIVATE KEY-----
        """

    static let p521Public = """
        -----BEGIN PUBLIC KEY-----
        MIGbMBAGByqGSM49AgEGBSuBBAAjA4GGAAQAHWoiwsrH/4vOl58BndnIGy92zr4y
        2+AHk3EOe/8erB0FOH4HazTMOkWJlkCl5Y7BARP4ZTlGsrH7mci63aKOCfUBZsPF
        Rv2zXTAM8XTz0Km3LG9DZMonP1/apNn9XFDmdtJD4Ani5Jx37FBG4dSM2MvHLTNO
        lRmmOMjw2eSGRIsoWGg=
        -----END PUBLIC KEY-----
        """

    static let ed25519Private = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJN3Wy5BsTEF1fLgJOctGyfAAOPB+yLRQb8a8iGvItuu
        -----END PRIVATE KEY-----
        """

    static let ed25519Public = """
        -----BEGIN PUBLIC KEY-----
        MCowBQYDK2VwAyEAzHGun9Z2c2uhtR/ZDTarnJ2HAeevkDoPGTL69oGib54=
        -----END PUBLIC KEY-----
        """
}
