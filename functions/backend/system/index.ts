import type { Route } from '../../../shared/http/route.ts'
import { documentRoutes } from '../../common/documents.ts'
import { ready } from '../../common/ready.ts'
import { type BackendHealthServices, health } from './health.ts'

export const routes: readonly Route<BackendHealthServices>[] = [health, ready, ...documentRoutes]
