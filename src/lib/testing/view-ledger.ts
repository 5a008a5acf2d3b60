/** The views of an account, for component tests: kept in order, names given once. */
import {
  type SavedView,
  type SaveView,
  savedView,
  savedViews,
  viewRef,
} from '#contracts/saved-view.contract.ts'
import { Refused } from '#domain/kernel/errors.ts'
import { mutation, query, router } from '#lib/testing/procedures.ts'

export function viewLedger(start: readonly SavedView[] = []) {
  const state = { views: [...start] }
  const free = (name: string) => {
    if (state.views.some((view) => view.name === name))
      throw new Refused('VALIDATION_FAILED', 'taken', [
        { field: 'name', message: 'taken', reason: 'name_taken' },
      ])
  }
  const save = (input: SaveView) => {
    free(input.name)
    const view = { view_id: `view_${String(state.views.length).padStart(12, '0')}`, ...input }
    state.views.push(view)
    return view
  }
  const rename = ({ view_id, name }: { view_id: string; name: string }) => {
    free(name)
    state.views = state.views.map((view) => (view.view_id === view_id ? { ...view, name } : view))
    return state.views.find((view) => view.view_id === view_id) as SavedView
  }
  const remove = ({ view_id }: { view_id: string }) => {
    state.views = state.views.filter((view) => view.view_id !== view_id)
    return { view_id }
  }
  return router({
    list: query(savedViews, () => ({ items: state.views })),
    save: mutation(savedView, save),
    rename: mutation(savedView, rename),
    remove: mutation(viewRef, remove),
  })
}
