/** `npm start` and `npm run dev`: see launch/run.mjs for what happens once the packages and the right Node are there. */
import { continueUnderOwnNode } from './continue.mjs'

await continueUnderOwnNode('run.mjs')
