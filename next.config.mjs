/** Pages, tRPC and REST in one process; security headers and the nonce are set in `proxy.ts`. */
export default {
  poweredByHeader: false,
  reactStrictMode: true,
  productionBrowserSourceMaps: false,
  serverExternalPackages: ['pg', 'pino', 'prom-client', 'isomorphic-git', '@aws-sdk/client-s3'],
  typescript: { ignoreBuildErrors: true },
  experimental: { optimizePackageImports: ['lucide-react', 'radix-ui'] },
}
