import { once } from 'node:events'
import type { Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { LLMock } from '@copilotkit/aimock'

// The package's main module listens on every address when it is loaded, so this loads its app.
const require = createRequire(import.meta.url)
const { default: mock } = require('mock-openai-api/dist/app.js') as {
  default: { listen(port: number, host: string): Server }
}

/** Two mock providers of different authors, which implement OpenAI's API independently. */
export interface MockModels extends AsyncDisposable {
  /** Its responses are set by the test. */
  aimock: LLMock
  /** The entries of AI_PROVIDERS: `aimock` and `mock`. */
  providers: Record<'aimock' | 'mock', { baseUrl: string; apiKey: string }>
}

export async function startMockModels(): Promise<MockModels> {
  const aimock = new LLMock({ port: 0, host: '127.0.0.1' })
  await aimock.start()
  const server = mock.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    aimock,
    providers: {
      aimock: { baseUrl: `${aimock.url}/v1`, apiKey: 'key-of-aimock' },
      mock: { baseUrl: `http://127.0.0.1:${port}/v1`, apiKey: 'key-of-mock' },
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await aimock.stop()
    },
  }
}
