import {
  renameViewRequest,
  savedView,
  savedViews,
  saveViewRequest,
  viewRef,
} from '#contracts/saved-view.contract.ts'
import { operations, read, write } from '#server/operations/operation.ts'
import { listViews } from './list-views.query.ts'
import { removeView, renameView, saveView } from './save-view.ts'

/** Saved views: each account has its own, and sees no other's. They are of the console alone. */
export const viewOperations = operations('views', {
  list: read('view.own', {
    summary: 'List the saved views of one’s own account',
    rest: null,
    output: savedViews,
    run: async ({ services, caller }) => ({ items: await listViews(services, caller) }),
  }),
  save: write('view.own', {
    summary: 'Save the filters of a list under a name',
    rest: null,
    input: saveViewRequest,
    output: savedView,
    run: ({ services, caller }, input) => saveView(services, input, caller),
  }),
  rename: write('view.own', {
    summary: 'Rename a saved view',
    rest: null,
    input: renameViewRequest,
    output: savedView,
    run: ({ services, caller }, input) => renameView(services, input, caller),
  }),
  remove: write('view.own', {
    summary: 'Delete a saved view',
    rest: null,
    input: viewRef,
    output: viewRef,
    run: ({ services, caller }, input) => removeView(services, input, caller),
  }),
})
