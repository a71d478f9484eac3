# Steps that change a copy of a build cache, and the programs around them. The current folder holds the copies.
# The file `no-key` says that the Spack of the case has no keys.
export SPACK_USER_CACHE_PATH=$PWD SPACK_GNUPGHOME=${BASE:-$PWD}/gpg SPACK_SYSTEM_CONFIG_PATH=/nonexistent
[ -e no-key ] && export SPACK_GNUPGHOME=$PWD/gpg
spack() { "$SPACK/bin/spack" "$@"; }
hash() { sed -n "s|^$1 /||p" "${BASE:-.}/hashes" | head -1; }
environment() { mkdir -p "$1"; printf 'spack:\n  view: false\n%s\n' "${2:+$(tr "|" "\n" <<<"$2" | sed "s/^/  /")}" >"$1/spack.yaml"; }
# NAME SPECS [OVERRIDE]: a group of env; for Spack 1.1, which has no groups, an environment, as each is solved by itself
group() {
  [ -e shared.yaml ] || echo '{}' >shared.yaml
  [ -e env ] || environment env 'include: [../shared.yaml]|specs:'
  echo "  - {group: $1, specs: $2, override: ${3:-{\}}}" >>env/spack.yaml
  environment "env-$1" "specs: $2|include: [override.yaml, ../shared.yaml]"
  echo "${3:-{\}}" >"env-$1/override.yaml"
}
# MIRROR NAME-VERSION: the files of a binary in it
manifest() { [ -d "$1/v3" ] && echo "$1"/v3/manifests/spec/*/"$2"-*.spec.manifest.json || echo "$1"/build_cache/*-"$2"-*.spec.json*; }
blob() { python3 -c 'import json, sys
sum = [each["checksum"] for each in json.load(open(sys.argv[2]))["data"] if sys.argv[3] in each["mediaType"]][0]
print(f"{sys.argv[1]}/blobs/sha256/{sum[:2]}/{sum}")' "$1" "$2" "$3"; }
tarball() { [ -d "$1/v3" ] && blob "$1" "$(manifest "$1" "$2")" tar || echo "$1"/build_cache/*/*/"$2"/*.spack; }
index() { [ -d "$1/v3" ] && echo "$1/v3/manifests/index/index.manifest.json" || echo "$1/build_cache/index.json"; }
gone() { rm -r "$@"; }
empty() { for each; do rm "$each"; touch "$each"; done; }
short() { for each; do head -c 9 "$each" >part; mv part "$each"; done; }
copy() { cp -r "$BASE/$1" "$2"; }
# Only an old Spack writes layout v2
reindex() { if [ -d "$1/v3" ]; then spack buildcache update-index "./$1"; else SPACK=$SPACK_OLD spack buildcache update-index "./$1"; fi; }
# Installs the roots $2... into the tree of an upstream $1, which is named in the configuration from then on
upstream() {
  cp -r cfg "$1.cfg"; sed -i "s|root: .*|root: $PWD/$1}|" "$1.cfg/config.yaml"
  SPACK_USER_CONFIG_PATH=$PWD/$1.cfg spack install --cache-only "${@:2}"
  echo "upstreams: {$1: {install_tree: $PWD/$1}}" >cfg/upstreams.yaml
  spack reindex
}
in_upstream() { SPACK_USER_CONFIG_PATH=$PWD/$1.cfg spack "${@:2}"; }
# YAML of the mirrors: NAME, and + if unsigned binaries count
mirrors() { echo mirrors:; for each; do
  echo "  ${each%+}: {url: \"${URL:-file://$PWD}/${each%+}\"$([ "$each" = "${each%+}" ] || echo ", signed: false")}"
done; } >mirrors.yaml
mirrored() { mirrors "$@"; command cat mirrors.yaml >cfg/mirrors.yaml; }
lock() { cp -r "$BASE/$1" env; }
root() { python3 -c 'import json, sys; print("/" + json.load(open(sys.argv[1]))["roots"][0]["hash"])' "$BASE/$1/spack.lock"; }
# Takes a binary out of the index of a mirror, or only its manifest from the mirror and the index
unlist() { mkdir -p hidden; mv "$(manifest "$1" "$2")" hidden; reindex "$1"; }
hide() {
  local folder; folder=$(dirname "$(manifest "$1" "$2")"); unlist "$1" "$2"; mkdir -p "$folder"; mv hidden/* "$folder"
}

# Keeps everything that Spack writes in the current folder.
configure() {
  mkdir -p cfg
  cat >cfg/config.yaml <<END
config:
  install_tree: {root: $PWD/opt}
  build_stage: [$PWD/stage]
  misc_cache: $PWD/misc
  build_jobs: 1
END
}
