import { PHASE_DEVELOPMENT_SERVER } from 'next/constants.js'

const PAGES = ['tsx', 'ts']

/** Pages, tRPC and REST in one process; security headers and the nonce are set in `proxy.ts`. */
export default (phase) => ({
  // `page.dev.tsx` is a page of the development server alone: a build has no such address.
  pageExtensions: phase === PHASE_DEVELOPMENT_SERVER ? ['dev.tsx', ...PAGES] : PAGES,
  poweredByHeader: false,
  // It needs inline styles, which the policy of the pages refuses.
  devIndicators: false,
  // No page is kept between requests, so the framework's own cache has little to hold.
  cacheMaxMemorySize: 8 * 1024 * 1024,
  reactStrictMode: true,
  productionBrowserSourceMaps: false,
  serverExternalPackages: ['pg', 'pino', 'prom-client', 'isomorphic-git', '@aws-sdk/client-s3'],
  // Types are a check of their own (`npm run check`); a start should not repeat it.
  typescript: { ignoreBuildErrors: true },
  // Former addresses of two auth pages; the query is kept.
  redirects: async () => [
    { source: '/farewell', destination: '/signed-out', permanent: true },
    { source: '/leave', destination: '/external-link', permanent: true },
  ],
  // The build's own files do not pass through proxy.ts.
  headers: async () => [
    {
      source: '/_next/static/:path*',
      headers: [
        { key: 'X-Content-Type-Options', value: 'nosniff' },
        { key: 'Cross-Origin-Resource-Policy', value: 'same-origin' },
      ],
    },
  ],
  // Messages are parsed on the server (src/lib/i18n/compile.ts); the browser only formats them.
  turbopack: { resolveAlias: { 'use-intl/format-message': 'use-intl/format-message/format-only' } },
  experimental: {
    optimizePackageImports: ['@tanstack/react-table'],
    // A page is loaded when it is first asked for, so that the first one does not wait for all the others.
    preloadEntriesOnStart: false,
  },
})
