import * as THREE from 'three';
import { Ambient } from './ambient';
import { Ground } from './ground';
import { shared } from './materials';
import type { V3 } from '../core/math';
import { add, cross, scale } from '../core/math';
import { levelAxes } from '../core/fit';

// Where bodies are shown: the light and the background of `plush render`'s pictures (a sun with a soft edge, a sky that is
// brighter above than below), in a light and a dark version, with shadows and ambient occlusion.

export interface Tones {
  sun: V3;
  skyAbove: V3;
  skyBelow: V3;
  horizon: number;
  zenith: number;
  nadir: number;
  ground: number;
  gridInk: number;
  gridAlpha: number;
  paleTo: number;
  occlusion: number;
}

export const light: Tones = {
  sun: [1.02, 0.95, 0.82],
  skyAbove: [0.6, 0.64, 0.7],
  skyBelow: [0.33, 0.29, 0.25],
  horizon: 0xf3efe8,
  zenith: 0xd9e2ea,
  nadir: 0xd8d2c8,
  ground: 0xcfc8be,
  gridInk: 0x8a8072,
  gridAlpha: 0.3,
  paleTo: 0xf4f1ec,
  occlusion: 0.75,
};
export const dark: Tones = {
  sun: [0.92, 0.88, 0.8],
  skyAbove: [0.36, 0.4, 0.48],
  skyBelow: [0.16, 0.15, 0.15],
  horizon: 0x23272e,
  zenith: 0x12151a,
  nadir: 0x1b1e23,
  ground: 0x4a4d52,
  gridInk: 0xc8d0da,
  gridAlpha: 0.12,
  paleTo: 0x6c727b,
  occlusion: 0.85,
};

const degree = Math.PI / 180;
const sunAzimuth = -28 * degree;
const sunElevation = 52 * degree;

export interface Quality {
  occlusion: boolean;
  shadowSize: number;
  pixelRatio: number;
}

export class Studio {
  readonly renderer: THREE.WebGLRenderer;
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(30, 1, 0.01, 100);
  readonly ground: Ground;
  private readonly sun = new THREE.DirectionalLight(0xffffff, Math.PI);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x000000, Math.PI);
  private readonly ambient: Ambient;
  private tones: Tones = light;
  private centre: V3 = [0, 0, 0];
  private radius = 1;
  private up: V3 = [0, 1, 0];
  quality: Quality;

  constructor(canvas: HTMLCanvasElement) {
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true, powerPreference: 'high-performance' });
    this.quality = startQuality(this.renderer);
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.CustomToneMapping;
    this.renderer.setPixelRatio(this.quality.pixelRatio);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(this.quality.shadowSize, this.quality.shadowSize);
    this.sun.shadow.radius = this.quality.shadowSize / 680;
    this.ground = new Ground();
    this.scene.add(this.sun, this.sun.target, this.sky, this.ground.group, this.ground.backdrop);
    this.ambient = new Ambient();
    this.setTones(light);
  }

  setTones(tones: Tones): void {
    this.tones = tones;
    this.sun.color.setRGB(...tones.sun, THREE.LinearSRGBColorSpace);
    this.sky.color.setRGB(...tones.skyAbove, THREE.LinearSRGBColorSpace);
    this.sky.groundColor.setRGB(...tones.skyBelow, THREE.LinearSRGBColorSpace);
    shared.uSkyAbove.value.setRGB(...tones.skyAbove, THREE.LinearSRGBColorSpace);
    shared.uSkyBelow.value.setRGB(...tones.skyBelow, THREE.LinearSRGBColorSpace);
    shared.uPaleTo.value.set(tones.paleTo);
    this.ground.setTones(tones);
    this.ambient.strength = tones.occlusion;
  }

  /** Light and shadow for a subject of this size at this place. */
  setSubject(centre: V3, radius: number, up: V3): void {
    this.centre = centre;
    this.radius = radius;
    this.up = up;
    const { z, x } = levelAxes(up);
    const level = add(scale(z, Math.cos(sunAzimuth)), scale(x, Math.sin(sunAzimuth)));
    const towards = add(scale(level, Math.cos(sunElevation)), scale(up, Math.sin(sunElevation)));
    // Room for what falls in from above and rolls away.
    const reach = 2.4 * radius;
    const place = add(centre, scale(towards, 6 * radius));
    this.sun.position.set(...place);
    this.sun.target.position.set(...centre);
    const camera = this.sun.shadow.camera;
    camera.left = camera.bottom = -reach;
    camera.right = camera.top = reach;
    camera.near = 0.5 * radius;
    camera.far = 14 * radius;
    camera.up.set(...cross(towards, perpendicularTo(towards)));
    camera.updateProjectionMatrix();
    const texel = (2 * reach) / this.quality.shadowSize;
    this.sun.shadow.normalBias = 1.2 * texel;
    this.sun.shadow.bias = -0.0004;
    this.sky.position.set(...up);
    shared.uUp.value.set(...up);
    this.ground.setSubject(centre, radius, up);
    this.ambient.radius = 0.16 * radius;
  }

  resize(width: number, height: number): void {
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / Math.max(height, 1);
    this.camera.updateProjectionMatrix();
  }

  /** Draws the scene seen by the camera into a part of the canvas (CSS pixels from the upper left), or into all of it. */
  draw(part?: { x: number; y: number; width: number; height: number }): void {
    const size = this.renderer.getSize(new THREE.Vector2());
    const view = part ?? { x: 0, y: 0, width: size.x, height: size.y };
    this.camera.aspect = view.width / Math.max(view.height, 1);
    const distance = this.camera.position.distanceTo(new THREE.Vector3(...this.centre));
    this.camera.near = Math.max(0.005 * this.radius, 0.02 * (distance - 3 * this.radius), 1e-6);
    this.camera.far = distance + 80 * this.radius;
    this.camera.updateProjectionMatrix();
    this.camera.updateMatrixWorld();
    this.ground.follow(this.camera);
    const bottom = size.y - view.y - view.height;
    this.renderer.setViewport(view.x, bottom, view.width, view.height);
    this.renderer.setScissor(view.x, bottom, view.width, view.height);
    this.renderer.setScissorTest(part !== undefined);
    if (this.quality.occlusion) {
      this.ambient.draw(this.renderer, this.scene, this.camera, view.width, view.height);
    } else {
      this.renderer.render(this.scene, this.camera);
    }
  }

  get subjectRadius(): number {
    return this.radius;
  }
  get upwards(): V3 {
    return this.up;
  }
  get isDark(): boolean {
    return this.tones === dark;
  }
}

function perpendicularTo(v: V3): V3 {
  return Math.abs(v[1]) < 0.9 ? [0, 1, 0] : [1, 0, 0];
}

/** A machine that draws by software gets what it can draw in time. */
function startQuality(renderer: THREE.WebGLRenderer): Quality {
  const gl = renderer.getContext();
  const info = gl.getExtension('WEBGL_debug_renderer_info');
  const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : '';
  const software = /swiftshader|llvmpipe|software|basic render/i.test(name);
  const wanted = new URLSearchParams(location.search).get('quality');
  const high = wanted ? wanted === 'high' : !software;
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  if (wanted === 'least') return { occlusion: false, shadowSize: 256, pixelRatio: 0.5 };
  return { occlusion: high, shadowSize: high ? 2048 : 1024, pixelRatio: high ? ratio : 1 };
}
