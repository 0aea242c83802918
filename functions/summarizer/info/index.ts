import type { Route } from '../../../shared/http/route.ts'
import { ready, type ReadyServices } from '../../common/ready.ts'
import { health } from './health.ts'
import { service } from './service.ts'

export const routes: readonly Route<ReadyServices>[] = [service, health, ready]
