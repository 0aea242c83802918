import { createApp } from '../../shared/http/app.ts'
import { bufferHandler } from '../../shared/http/lambda/buffer.ts'
import { loadConfig } from '../../shared/platform/config/load.ts'
import { routes } from './system/index.ts'

const config = loadConfig(process.env)

export const handler = bufferHandler(
  createApp({
    surface: 'summarizer',
    name: config.FUNCTION_NAME,
    routes,
    services: {},
    settings: config,
  }),
)
