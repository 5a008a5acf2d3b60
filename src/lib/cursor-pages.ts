type Page<Item = unknown> = { items: readonly Item[]; next_cursor: string | null }

/** How an infinite list finds its next page: by the opaque cursor of the last one. */
export const CURSOR_PAGES = {
  getNextPageParam: ({ next_cursor }: Pick<Page, 'next_cursor'>) => next_cursor ?? undefined,
}

/** How far a list is read for one item; what is older is reached by hand. */
const MOST_PAGES = 10

/** How an infinite list is first read where the address names one of its items: page by page, until that is there. */
export const pagesUntil = <Item>(isNamed: (item: Item) => boolean) => ({
  pages: MOST_PAGES,
  getNextPageParam: (page: Page<Item>) =>
    page.items.some(isNamed) ? undefined : CURSOR_PAGES.getNextPageParam(page),
})
