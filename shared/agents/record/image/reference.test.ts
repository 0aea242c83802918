import { describe, expect, it } from 'vitest'
import { imageReference } from './reference.ts'

const digest = `sha256:${'a'.repeat(64)}`

describe('an image reference', () => {
  it.each([
    'agent',
    'agent:1.2.3',
    'library/agent',
    'registry.example/team/agent:1.2.3',
    'localhost:5000/agent',
    '[2001:db8::1]:5000/agent:v1',
    `ghcr.io/owner/agent@${digest}`,
    `ghcr.io/owner/agent:1@${digest}`,
    '123456789012.dkr.ecr.eu-west-1.amazonaws.com/my__agent-x.y:latest',
  ])('can be %s', (image) => expect(imageReference.parse(image)).toBe(image))

  it.each([
    '',
    'Agent',
    'agent:',
    'agent:-1',
    'agent: 1',
    ' agent',
    'agent\n',
    'agent..x',
    'agent_-x',
    '-agent',
    'registry.example/',
    'registry.example//agent',
    'https://registry.example/agent',
    '-registry.example/agent',
    'registry.example:port/agent',
    'agent@sha256:abc',
    `agent@md5:${'a'.repeat(32)}`,
    `agent:${'a'.repeat(129)}`,
    'a'.repeat(256),
    'agent;rm -rf',
    '$(agent)',
  ])('cannot be %j', (image) => expect(imageReference.safeParse(image).success).toBe(false))

  it('is validated quickly for any input', () => {
    const hard = `${'a-'.repeat(120)}A!`
    expect(imageReference.safeParse(hard).success).toBe(false)
  })
})
