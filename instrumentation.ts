/**
 * Runs once when the web process starts. A stream of events stays open as long as its reader wants, and an open answer keeps
 * the server from ending: on SIGTERM and SIGINT one signal ends them all. The rest of the end is the product's own where the launcher says so,
 * and the framework's under the development server.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { filterRequests } = await import('#server/http/request-filter.ts')
    const { stampPeerAddresses } = await import('#server/http/peer-address.ts')
    const { endStreamsOnSignals } = await import('#server/stream/shutdown.ts')
    filterRequests()
    stampPeerAddresses()
    endStreamsOnSignals()
    if (process.env.NEXT_MANUAL_SIG_HANDLE) (await import('#server/http/stop-web.ts')).stopOnSignals()
  }
}
