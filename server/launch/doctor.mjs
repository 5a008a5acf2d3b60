/** `npm run doctor`: see launch/examine-home.mjs for what happens once the right Node is there. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('examine-home.mjs', [process.version])
