# The certificates of the servers, for servers.sh.

# One key does for all: who owns it is not what is tested.
make_certificates() {
    cd "$folder"
    openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out key.pem
    cat > authority.conf <<-'END'
	[ca]
	default_ca = own
	[own]
	database = issued.txt
	new_certs_dir = issued
	policy = names
	default_md = sha256
	default_days = 30
	rand_serial = yes
	unique_subject = no
	copy_extensions = copy
	[names]
	commonName = supplied
	END
    mkdir issued
    touch issued.txt
    make_authority authority
    make_authority unknown-authority
    issue good localhost authority
    issue expired localhost authority -startdate 20200101000000Z -enddate 20200201000000Z
    issue not-yet-valid localhost authority -startdate 20990101000000Z -enddate 20990201000000Z
    issue other-host other.test authority
    issue_named common-name "" authority
    issue_named common-name-and-mail "subjectAltName=email:ada@localhost" authority
    issue unknown-issuer localhost unknown-authority
    openssl req -x509 -new -key key.pem -days 30 -subj /CN=localhost -out self-signed.pem \
        -addext "$(names_of localhost)" -addext basicConstraints=critical,CA:FALSE
    make_chains
    make_revocation_lists
    make_client_certificates
    cd - > /dev/null
}

# What pins tell apart: two chains whose certificates have keys of their own, and servers that would pass for the first.
make_chains() {
    make_key_and_authority chain-root
    make_key_and_authority other-root
    make_intermediate chain-intermediate chain-root chain-intermediate
    issue_with_key chain-leaf localhost chain-intermediate chain-intermediate
    cat chain-leaf.pem chain-intermediate.pem > chain.pem
    issue_with_key other-chain localhost other-root other-root
    # An intermediate of the same name, signed by nobody in particular: its leaf is sent with the real one behind it.
    make_key_and_authority false-intermediate chain-intermediate
    make_key impostor
    printf '%s\n' authorityKeyIdentifier=none subjectAltName=DNS:localhost > impostor.extensions
    openssl req -new -key impostor-key.pem -subj /CN=localhost |
        openssl x509 -req -days 30 -CA false-intermediate.pem -CAkey false-intermediate-key.pem -CAcreateserial \
            -extfile impostor.extensions -out impostor-leaf.pem
    cat impostor-leaf.pem chain-intermediate.pem > impostor.pem
    cp chain-leaf-key.pem chain-key.pem
    make_self_signed self-signed-name /CN=localhost
    make_self_signed self-signed-nobody /CN=nobody
    openssl x509 -in chain-leaf.pem -pubkey -noout -out chain-leaf-public.pem
    mkdir pinned
    openssl x509 -in chain-leaf.pem -outform DER -out pinned/chain-leaf.cer
}

# A chain, and certificates of it that are revoked: a leaf, and an intermediate with its leaf. The lists have the names of their issuers.
make_revocation_lists() {
    mkdir lists
    make_key_and_authority listing-root
    make_key_and_authority false-root listing-root
    local name
    for name in listing revoked-listing; do
        make_intermediate "$name" listing-root "$name" keyCertSign,cRLSign
        issue_with_key "listed-by-$name" localhost "$name" "$name"
        cat "listed-by-$name.pem" "$name.pem" > "$name-chain.pem"
        cp "listed-by-$name-key.pem" "$name-chain-key.pem"
    done
    issue_with_key revoked-leaf localhost listing listing
    cat revoked-leaf.pem listing.pem > revoked-chain.pem
    cp revoked-leaf-key.pem revoked-chain-key.pem
    make_list listing-root listing-root "" revoked-listing
    make_list listing listing "" revoked-leaf
    make_list listing-with-all listing "" revoked-leaf listed-by-listing
    make_list revoked-listing revoked-listing ""
    make_list expired listing "-crl_lastupdate 20200101000000Z -crl_nextupdate 20200201000000Z"
    make_list false-root false-root ""
}

# make_list <name> <issuer> <options> [revoked certificate ...]: a list in a file of its own.
make_list() {
    local certificate name=$1 issuer=$2 options=${3:--crldays 30}
    shift 3
    sed "s/issued.txt/lists\\/$name.txt/" authority.conf > "lists/$name.conf"
    : > "lists/$name.txt"
    for certificate in "$@"; do
        openssl ca -config "lists/$name.conf" -cert "$issuer.pem" -keyfile "$issuer-key.pem" -revoke "$certificate.pem"
    done
    # shellcheck disable=SC2086
    openssl ca -config "lists/$name.conf" -cert "$issuer.pem" -keyfile "$issuer-key.pem" -gencrl $options -out "lists/$name.pem"
}

make_client_certificates() {
    issue_with_key client client authority key
    openssl pkey -in client-key.pem -aes256 -passout pass:secret -out client-key-encrypted.pem
    openssl pkcs12 -export -in client.pem -inkey client-key.pem -passout pass:secret -out client.p12
    issue_with_key stranger client unknown-authority key
    issue client-expired client authority -startdate 20200101000000Z -enddate 20200201000000Z
    local number
    for number in {0..11}; do issue_with_key "rotating-$number" "rotating-$number" authority key; done
}

make_key() { openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$1-key.pem"; }

# make_key_and_authority <name> [common name]
make_key_and_authority() {
    make_key "$1"
    openssl req -x509 -new -key "$1-key.pem" -days 30 -subj "/CN=${2-$1}" -out "$1.pem"
}

make_self_signed() {
    make_key "$1"
    openssl req -x509 -new -key "$1-key.pem" -days 30 -subj "$2" -out "$1.pem" -addext basicConstraints=critical,CA:FALSE
}

# make_intermediate <name> <authority> <common name> [uses of the key]
make_intermediate() {
    make_key "$1"
    openssl req -new -key "$1-key.pem" -subj "/CN=$3" -addext basicConstraints=critical,CA:TRUE -addext "keyUsage=${4-keyCertSign}" |
        openssl ca -batch -notext -config authority.conf -cert "$2.pem" -keyfile "$2-key.pem" -in /dev/stdin -out "$1.pem"
}

# issue_with_key <name> <host> <authority> <authority whose key it is>
issue_with_key() {
    local key=$4-key.pem
    [[ $4 != key ]] || key=key.pem
    make_key "$1"
    openssl req -new -key "$1-key.pem" -subj "/CN=$2" -addext "subjectAltName=DNS:$2" |
        openssl ca -batch -notext -config authority.conf -cert "$3.pem" -keyfile "$key" -in /dev/stdin -out "$1.pem"
}

make_authority() {
    openssl req -x509 -new -key key.pem -days 30 -subj "/CN=$1" -out "$1.pem"
}

issue() {
    local name=$1 host=$2 authority=$3
    shift 3
    openssl req -new -key key.pem -subj "/CN=$host" -addext "$(names_of "$host")" |
        openssl ca -batch -notext -config authority.conf -cert "$authority.pem" -keyfile key.pem -in /dev/stdin -out "$name.pem" "$@"
}

# issue_named <name> <extension> <authority>: a certificate for the common name localhost alone.
issue_named() {
    openssl req -new -key key.pem -subj /CN=localhost ${2:+-addext "$2"} |
        openssl ca -batch -notext -config authority.conf -cert "$3.pem" -keyfile key.pem -in /dev/stdin -out "$1.pem"
}

names_of() {
    if [[ $1 == localhost ]]; then echo subjectAltName=DNS:localhost,IP:127.0.0.1; else echo "subjectAltName=DNS:$1"; fi
}
