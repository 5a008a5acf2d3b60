/**
 * The security headers of every answer. Pages get a policy with a fresh nonce; answers that
 * are no document get the same without any script. Pure, so that a test reads every value.
 */
type Options = {
  /** A new random value per answer, base64. Null: nothing on it may run. */
  nonce: string | null
  /** Under TLS the browser has to stay there. */
  secure: boolean
  /** The development server compiles in the browser and styles its own overlay; never in production. */
  development?: boolean
}

/** Where a proxy says how it was reached: the hop nearest to the browser first. */
export const SCHEME_HEADER = 'x-forwarded-proto'

/** Whether the browser is under TLS: only there it believes that it has to stay. `schemes` is what `SCHEME_HEADER` carries. */
export function isUnderTls(schemes = ''): boolean {
  const [nearest = ''] = schemes.split(',', 1)
  return nearest.trim().toLowerCase() === 'https' || process.env.PUBLIC_URL?.startsWith('https:') === true
}

/** In the request as pages get it: the path with its query that was asked for. The proxy sets it; a client's own is overwritten. */
export const PATH_HEADER = 'x-garden-path'

/** One value of 128 bits, as the policy and the script tags carry it. */
export const newNonce = (): string => btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(16))))

/** The nonce of the page that is being drawn, from the policy that the proxy gave to its request. */
export const nonceOf = (headers: Headers): string | undefined =>
  /'nonce-([^']+)'/.exec(headers.get('content-security-policy') ?? '')?.[1]

/** The Content-Security-Policy of an answer. */
export function contentSecurityPolicy({
  nonce,
  development = false,
}: Pick<Options, 'nonce' | 'development'>): string {
  const token = nonce === null ? '' : `'nonce-${nonce}'`
  const scripts =
    nonce === null ? "'none'" : `${token} 'strict-dynamic'${development ? " 'unsafe-eval'" : ''}`
  return [
    "default-src 'none'",
    `script-src ${scripts}`,
    `style-src 'self'${development ? " 'unsafe-inline'" : token && ` ${token}`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    // The service worker of notifications (public/push-worker.js).
    ...(nonce === null ? [] : ["worker-src 'self'"]),
    "manifest-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/** Features a console never needs. */
const ALL_OFF = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'geolocation',
  'gyroscope',
  'hid',
  'idle-detection',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'picture-in-picture',
  'publickey-credentials-get',
  'screen-wake-lock',
  'serial',
  'usb',
  'xr-spatial-tracking',
]
  .map((feature) => `${feature}=()`)
  .join(', ')

const YEAR = 31_536_000

/** Every security header of an answer, by name. */
export function securityHeaders(options: Options): Record<string, string> {
  return {
    'Content-Security-Policy': contentSecurityPolicy(options),
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Permissions-Policy': ALL_OFF,
    'Cache-Control': 'no-store',
    ...(options.secure ? { 'Strict-Transport-Security': `max-age=${YEAR}; includeSubDomains` } : {}),
  }
}
