/** `npm run worker`: one more worker beside a running instance, see worker/main.ts. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('in-home.mjs', ['worker'])
