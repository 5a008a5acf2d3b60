export { EntryPage } from './components/entry-page.tsx'
export { InboxPage } from './components/inbox-page.tsx'
export { ProposeNote } from './components/propose-note.tsx'
export { STATUS_STYLES as INBOX_STYLES } from './status.ts'
