import type { ReadyServices } from '../../common/ready.ts'
import { ready } from '../../common/ready.ts'
import { documentRoutes } from '../../common/documents.ts'
import type { Route } from '../../../shared/http/route.ts'
import { health } from './health.ts'

export const routes: readonly Route<ReadyServices>[] = [health, ready, ...documentRoutes]
