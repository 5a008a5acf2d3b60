/**
 * Loaded before the framework (`start-web.ts`), which listens before it calls `instrumentation.ts` and keeps the requests that come
 * meanwhile: unfiltered, some would be answered with a 5xx; without stamps they would be taken at their client's word, and keys of this machine refused as
 * sent in clear. Requests that come before the environment does wait for it.
 */
import { awaitedEnvironment } from '#server/environment/awaited-environment.ts'
import { stampPeerAddresses } from './peer-address.ts'
import { filterRequests } from './request-filter.ts'

filterRequests(awaitedEnvironment())
stampPeerAddresses()
