import { notConfigured } from '#shared/platform/errors.ts'
import { openaiVideos } from './provider/openai.ts'
import type { VideoProvider } from './provider/port.ts'

export interface VideoAddress {
  VIDEO_API_URL?: string | undefined
  VIDEO_API_KEY?: string | undefined
}

/** @throws PlatformError 503 with every missing setting */
export function requireVideos({ VIDEO_API_URL, VIDEO_API_KEY }: VideoAddress): {
  apiUrl: string
  apiKey: string
} {
  if (VIDEO_API_URL !== undefined && VIDEO_API_KEY !== undefined)
    return { apiUrl: VIDEO_API_URL, apiKey: VIDEO_API_KEY }
  throw notConfigured(
    'Video generation',
    Object.entries({ VIDEO_API_URL, VIDEO_API_KEY }).flatMap(([name, value]) =>
      value === undefined ? [name] : [],
    ),
  )
}

/** Returns the configured video provider, or undefined without its settings. */
export function configuredVideos(
  config: VideoAddress & { deployed: boolean; VIDEO_MODEL: string },
): VideoProvider | undefined {
  const { deployed, VIDEO_API_URL: apiUrl, VIDEO_API_KEY: apiKey, VIDEO_MODEL: model } = config
  if (apiUrl === undefined || apiKey === undefined) return undefined
  return openaiVideos({ deployed, apiUrl, apiKey, model })
}
