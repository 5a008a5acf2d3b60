export { SavedViews } from './components/saved-views.tsx'
export { useSavedViews } from './use-saved-views.ts'
export { viewHref } from './view-filters.ts'
