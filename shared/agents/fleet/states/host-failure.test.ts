import { describe, expect, it } from 'vitest'
import { isHostRefusal } from './host-failure.ts'

const failed = (text: string) => ({ code: 'TaskFailedToStart', text })
const pull =
  'CannotPullContainerError: pull image manifest has been retried 5 time(s): failed to resolve ref x:1: '

describe('a task that ECS could not start', () => {
  it.each([
    'Timeout waiting for network interface provisioning to complete.',
    'Unexpected EC2 error while attempting to Create Network Interface with public IP assignment enabled: InsufficientFreeAddressesInSubnet',
    'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed',
    'Capacity is unavailable at this time. Please try again later or in a different availability zone',
    `${pull}unexpected status code 503 Service Unavailable`,
    `${pull}dial tcp 10.0.0.1:443: i/o timeout`,
    `${pull}toomanyrequests: Rate exceeded`,
  ])('is retried if the host is at fault: %s', (text) => {
    expect(isHostRefusal(failed(text))).toBe(true)
    expect(isHostRefusal({ code: 'EssentialContainerExited', text })).toBe(false)
  })

  it.each([
    `${pull}x:1: not found`,
    `${pull}manifest unknown`,
    `${pull}pull access denied, repository does not exist or may require authorization`,
    `${pull}dial tcp: lookup registry.exmaple: no such host`,
    'CannotStartContainerError: exec: "start": executable file not found in $PATH',
    'Task failed to start',
  ])('fails if the agent is at fault: %s', (text) => {
    expect(isHostRefusal(failed(text))).toBe(false)
  })
})
