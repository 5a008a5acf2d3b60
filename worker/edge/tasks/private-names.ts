/**
 * Names of files and folders that no task reads [runtime#context]: keys, and what programs keep theirs in.
 *
 * A name that begins with a dot is a program's own, and looked at by its beginning. Of others only forms that data has are private:
 * `secrets.json` is, a note `secrets.md` is not.
 */
const DOT_NAMES = [
  ...['git', 'env', 'claude', 'credentials', 'membridge', 'bloom', 'mcp', 'secrets'],
  ...[
    'netrc',
    'npmrc',
    'yarnrc',
    'pypirc',
    'curlrc',
    'wgetrc',
    'pgpass',
    'my\\.cnf',
    'mylogin',
    'htpasswd',
    'authinfo',
  ],
  ...[
    'ssh',
    'aws',
    'azure',
    'gcloud',
    'gnupg',
    'docker',
    'kube',
    'config',
    'local',
    'mc',
    'minio',
    's3cfg',
    'boto',
  ],
  ...[
    'rclone',
    'cargo',
    'm2',
    'gradle',
    'gem',
    'terraform',
    'vault',
    'password-store',
    'mozilla',
    'thunderbird',
  ],
  ...['[a-z_]*history'],
]
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
