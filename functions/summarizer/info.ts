import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { app } from './info/app.ts'

export const handler = bufferHandler(app)
