import { z } from 'zod'
import { QUOTE_CHARS, SUGGESTION_CHARS } from '#domain/inbox/suggestion.rules.ts'

/** What a guest suggests of a note, where the owner lets the zone's guests do so ([zones#suggestions]). */
const storable = (text: string): boolean => !/\0|\p{Surrogate}/u.test(text)

export const suggestionInput = z
  .object({
    path: z.string().min(1).max(1_024).refine(storable, 'holds a NUL or broken Unicode'),
    text: z.string().trim().min(1).max(SUGGESTION_CHARS).refine(storable, 'holds a NUL or broken Unicode'),
    /** The passage of the note that it is about; without one, the whole note. */
    quote: z.string().trim().max(QUOTE_CHARS).refine(storable, 'holds a NUL or broken Unicode').default(''),
  })
  .strict()
export type SuggestionInput = z.output<typeof suggestionInput>

/** No id: what became of it is the owner's to know. */
export const suggestionAnswer = z.object({ received: z.literal(true) }).strict()
