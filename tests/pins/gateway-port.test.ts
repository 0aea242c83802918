import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { gatewayPort } from '#shared/manifest/index.ts'
import { readSettings } from '../../agent/gateway/settings.ts'

// The agent's image contains no module of the platform, so it repeats the port.
it('the gateway’s port is the same in the manifest, in the agent and in its image', () => {
  const environment = {
    AGENT_ID: 'agt_1',
    GATEWAY_TOKEN: 'a-token-of-the-tests',
    AI_BASE_URL: 'https://backend.example/v1/',
    AI_API_KEY: 'key',
    WORKSPACE_DIR: '/data',
  }
  expect(readSettings(environment).port).toBe(gatewayPort)
  const image = readFileSync(resolve(import.meta.dirname, '../../agent/image/Dockerfile'), 'utf8')
  const ports = [...image.matchAll(/(?:EXPOSE |GATEWAY_PORT\|\|)(\d+)/g)].map(([, port]) => port)
  expect(ports).toEqual([String(gatewayPort), String(gatewayPort)])
})
