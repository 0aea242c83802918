import type * as z from 'zod'
import { links } from './render.ts'
import type { checkedConfig, configToCheck, RefusedConfig } from './schema.ts'

/** contract.md 10. */
const keyPrefix = 'rnd_'

/** spec.md: shorter keys are invalid. */
const minKeyLength = 20

/**
 * Validates the form of a configuration for Render's MCP server: spec.md, validate-config rules. It returns all
 * errors together, does not call Render to verify the key, and stores nothing.
 */
export function validateConfig(
  config: z.output<typeof configToCheck>,
): z.input<typeof checkedConfig> | RefusedConfig {
  const errors = [...faultsOfKey(config.api_key), ...faultsOfEndpoint(config.endpoint)]
  if (errors.length > 0)
    return {
      valid: false,
      errors,
      help: `Create an API key in Render’s dashboard: ${links.apiKeys}`,
    }
  return {
    valid: true,
    message: 'The configuration has the correct format; only Render can verify the key',
    next_steps: [
      `Add ${links.hosted} to your MCP client with the key as bearer, or run ${links.dockerImage}`,
      'Ask the client to list the workspaces; the response shows whether the key is valid',
      `For details, see ${links.documentation}`,
    ],
  }
}

function faultsOfKey(key: unknown): string[] {
  if (typeof key !== 'string' || key === '') return ['api_key is required']
  return [
    ...(key.startsWith(keyPrefix) ? [] : [`api_key must start with ${keyPrefix}`]),
    ...(key.length < minKeyLength ? ['api_key appears too short'] : []),
  ]
}

function faultsOfEndpoint(endpoint: unknown): string[] {
  const good = endpoint === undefined || typeof endpoint === 'string'
  return good ? [] : ['endpoint must be a string']
}
