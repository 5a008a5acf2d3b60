import { z } from 'zod'
import { bareTag, TAG } from '#domain/garden/tag.rules.ts'

/** A tag on the wire ([garden#tags]); a `#` in front is taken away. */
export const tagName = z.string().max(256).transform(bareTag).pipe(z.string().regex(TAG, 'is not a tag'))
