import { answerCatalogue } from '../../catalogue.ts'

type Asked = { params: Promise<{ file: string }> }

export const GET = async (_request: Request, { params }: Asked) => answerCatalogue((await params).file)
