import { sharedNetwork } from './shared-network.ts'

/**
 * Settings that several tests read in one declaration, because each declaration takes six seconds of CPU time. Within one
 * object, no setting affects the resources that another one is tested by.
 */

/** A production without optional features, and with an image and a table from elsewhere. */
export const reduced = {
  AGENT_IMAGE: 'registry.example.com/agent:1',
  EMAIL_FROM: '',
  EMAIL_IN_DOMAIN: '',
  KILL_SWITCH: '',
  RESERVE: 'false',
  RESTORED_TABLE: 'platform-restored',
  WEB_URL: 'https://example.com',
  WORKSPACE_ROOT: '',
}

/** A production in a new account whose sender has an identity already, and whose agents leave their NAT gateways. */
export const transitional = {
  AGENTS_NAT: 'draining',
  CONCURRENCY_QUOTA: '10',
  EMAIL_IDENTITY: 'existing',
}

/** A production in two zones, with a copy of the router's image, whose protection is being removed. */
export const unprotected = {
  AGENTS_CERTIFICATE_ARN: 'arn:aws:acm:eu-west-1:123456789012:certificate/agents',
  AGENTS_DOMAIN: 'agents.example.com',
  AGENTS_NAT: 'true',
  ROUTER_IMAGE: `registry.example.com/caddy@sha256:${'a'.repeat(64)}`,
  UNPROTECTED_STAGE: 'production',
  ZONES: 'eu-west-1a, eu-west-1c',
}

/** A throwaway stage. */
export const throwaway = { NETWORK_VPC_ID: sharedNetwork.id }

/**
 * A second stage in an account: its sender has an identity, another stage reserves instances, and the account's receipt
 * rule set belongs to another stage.
 */
export const second = {
  EMAIL_IDENTITY: 'existing',
  EMAIL_IN_RULE_SET: 'agent-platform-production-mails',
  RESERVE: 'false',
}
