import t from 'tap';
import { storeContract } from '../contract/store/index.ts';
import { serverFolder } from './support/server-folder.ts';

storeContract(t, serverFolder);
