/**
 * Names of files and folders that no task reads [runtime#context]: keys, and what programs keep theirs in.
 *
 * A name that begins with a dot is a program's own, and looked at by its beginning. Of others only forms that data has are private:
 * `secrets.json` is, a note `secrets.md` is not.
 */
const DOT_NAMES = [
  // of the node itself, of the program that does its tasks, and of projects
  'bloom claude credentials env git mcp membridge secrets',
  // passwords and keys in a file of their own, and what was typed
  'authinfo boto curlrc htpasswd my\\.cnf mylogin netrc npmrc pgpass pypirc s3cfg wgetrc yarnrc [a-z_]*history',
  // folders of other programs
  'aws azure cargo config docker gcloud gem gnupg gradle kube local m2 mc minio mozilla password-store rclone ssh terraform thunderbird vault',
].flatMap((names) => names.split(' '))
const DATA = '(?:json5?|jsonc|ya?ml|toml|ini|conf|cfg|properties|xml|csv|db|sqlite3?)'
const PRIVATE = [
  `\\.(?:${DOT_NAMES.join('|')}).*`,
  // `config.env` and the copies that are kept beside it.
  '.*\\.env(?:$|~|\\.(?!(?:md|markdown|txt)$).*)',
  '_netrc',
  'id_(?:rsa|dsa|ecdsa|ed25519).*',
  'credentials.*',
  `(?:secrets?|keys?|passwords?|client[-_]secret.*|service[-_]account.*)\\.${DATA}`,
  '.*\\.(?:pem|key|keystore|ppk|p8|p12|pfx|jks|kdbx|asc|gpg|ovpn|tfstate|agekey)',
].map((pattern) => new RegExp(`^(?:${pattern})$`, 'i'))

/** Whether a relative path is private, or lies in a folder that is. */
export const isPrivate = (name: string): boolean =>
  name.split(/[\\/]/).some((part) => PRIVATE.some((pattern) => pattern.test(part)))
