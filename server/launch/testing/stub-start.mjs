/** The stub instance, begun the way `npm start` begins the real one: `node stub-start.mjs HOME`. */
import { continueUnderOwnNode } from '../continue.mjs'

await continueUnderOwnNode('testing/stub-instance.mjs')
