/**
 * Runs once when the web process starts. A stream of events stays open as long as its reader wants, and an open answer keeps
 * the server from ending: on SIGTERM and SIGINT one signal ends them all, so that the process can stop.
 */
export async function register(): Promise<void> {
  if (process.env.NEXT_RUNTIME === 'nodejs') {
    const { filterRequests } = await import('#server/http/request-filter.ts')
    const { stampPeerAddresses } = await import('#server/http/peer-address.ts')
    const { endStreamsOnSignals } = await import('#server/stream/shutdown.ts')
    filterRequests()
    stampPeerAddresses()
    endStreamsOnSignals()
  }
}
