import { second, throwaway } from '../harness/combined.ts'
import { declare } from '../harness/declare.ts'
import type { Stage } from './rule.ts'

const certificate = (region: string, id: string) =>
  `arn:aws:acm:${region}:123456789012:certificate/${id}`

/** Everything that settings add: router, NAT, services, domains and warm containers. */
const everything = {
  AGENTS_CERTIFICATE_ARN: certificate('eu-west-1', 'agents'),
  AGENTS_DOMAIN: 'agents.example.net',
  AGENTS_NAT: 'true',
  SERVICE_IMAGE: `123456789012.dkr.ecr.eu-west-1.amazonaws.com/services@sha256:${'0'.repeat(64)}`,
  SERVICES: 'backend-ai,backend-logs,web-chat,web-logs',
  WARM_CONTAINERS: 'solo=2',
  BACKEND_CERTIFICATE_ARN: certificate('us-east-1', 'backend'),
  BACKEND_DOMAIN: 'api.example.com',
  SUMMARIZER_CERTIFICATE_ARN: certificate('us-east-1', 'summarizer'),
  SUMMARIZER_DOMAIN: 'pages.example.com',
  WEB_CERTIFICATE_ARN: certificate('us-east-1', 'web'),
  WEB_DOMAIN: 'app.example.com',
}

/** The stages that the rules are checked on, by name, with their settings. They share one account and region. */
const settings: Record<string, Record<string, string>> = {
  production: {},
  dev: { ...second, ...throwaway },
  'production-2': { ...everything, ...second },
  'production-europe-west-1': second,
}

/** Declares the stages. */
export function declareStages(): Promise<Stage[]> {
  return Promise.all(
    Object.entries(settings).map(async ([name, environment]) => ({
      name,
      resources: (await declare(name, environment)).registrations,
    })),
  )
}
