/** Characters of a guest's suggestion, and of the passage that it quotes ([zones#suggestions]). */
export const SUGGESTION_CHARS = 2_000
export const QUOTE_CHARS = 1_000
