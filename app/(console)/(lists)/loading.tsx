import { LoadingPage } from '#features/shell/index.ts'

export default LoadingPage
