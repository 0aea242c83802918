import { isbot } from 'isbot'
import { PlatformError } from '#shared/platform/errors.ts'

/** The parts of a request that identify bots. */
export interface BotSignals {
  userAgent: string | undefined
  /** A field that people do not see, so that only programs fill it in. */
  honeypot: unknown
}

/** A port, so that a managed service can replace this implementation. */
export interface BotDetector {
  isBot(signals: BotSignals): Promise<boolean>
}

/** Command-line tools and libraries that developers use to call the API on their own machine. */
const developerTools =
  /^(curl|wget|httpie|postmanruntime|insomnia|bruno|node|undici|axios|got|bun|deno|python|aiohttp|go-http-client|okhttp|java|ruby|faraday|k6|autocannon|oha|hey)\b/i

/** Detects bots by their User-Agent. @param deployed false admits developers' own tools (contract.md 2) */
export function userAgentDetector({ deployed }: { deployed: boolean }): BotDetector {
  return {
    async isBot({ userAgent, honeypot }) {
      if (honeypot !== undefined && honeypot !== null && honeypot !== '') return true
      if (userAgent === undefined || userAgent.trim() === '') return true
      if (!deployed && developerTools.test(userAgent)) return false
      return isbot(userAgent)
    },
  }
}

/** @throws PlatformError 403 BOT_DETECTED */
export async function refuseBots(detector: BotDetector, signals: BotSignals): Promise<void> {
  if (await detector.isBot(signals))
    throw new PlatformError('forbidden', 'Automated requests are not allowed here', {
      code: 'BOT_DETECTED',
    })
}
