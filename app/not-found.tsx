import { NotFoundPage } from '#features/shell/index.ts'

export default NotFoundPage
