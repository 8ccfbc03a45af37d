/** A table of Hol's der Geier, as far as players may ask about it. */
public final class HolsDerGeier {
    /** What letzterZug returns before the first card. */
    public static final int NICHTS = -99;

    private int[] last = new int[0];

    void begin(int seat, int players) {
        last = new int[players];
        java.util.Arrays.fill(last, NICHTS);
    }

    void show(RajView view) {
        if (view.history.length > 0) {
            last = view.history[view.history.length - 1].bids;
        }
    }

    /** The last card of the player with this number; -99 if there is none yet. */
    public int letzterZug(int nummer) {
        return last[nummer];
    }
}
