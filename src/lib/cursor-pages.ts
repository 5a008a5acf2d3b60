/** How an infinite list finds its next page: by the opaque cursor of the last one. */
export const CURSOR_PAGES = {
  getNextPageParam: (page: { next_cursor: string | null }) => page.next_cursor ?? undefined,
}
