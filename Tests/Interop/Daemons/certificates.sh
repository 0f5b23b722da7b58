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

# make_intermediate <name> <authority> <common name>
make_intermediate() {
    make_key "$1"
    openssl req -new -key "$1-key.pem" -subj "/CN=$3" -addext basicConstraints=critical,CA:TRUE -addext keyUsage=keyCertSign |
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
